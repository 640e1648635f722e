-- Resident columns whose values ask for wider forms, other scales and NULLs while an
-- extent is read: the same as in the heap.
SET client_min_messages = error;
SET warpagg.enable_scan = on;
SET warpagg.accelerate = exact;
SET warpagg.autoload = off;

CREATE TABLE resident_forms (
    id integer, narrow bigint, wide integer, unsigned bigint, full_width bigint,
    scaled numeric, late numeric, all_null numeric, some_null bigint, small real,
    name text);
INSERT INTO resident_forms
    SELECT i, i % 3 - 1, CASE WHEN i < 4000 THEN -i % 30000 ELSE i * 100000 END,
           CASE WHEN i < 3000 THEN i WHEN i < 6000 THEN i * 10000 ELSE i * 400000::bigint END,
           CASE WHEN i < 2000 THEN i WHEN i < 4000 THEN i * 1000000::bigint
                WHEN i = 5000 THEN -1 ELSE i * 1000000000::bigint END,
           CASE WHEN i < 3000 THEN i WHEN i < 6000 THEN i + 0.5 ELSE i * 1000.125 END,
           CASE WHEN i > 7000 THEN i * 0.01 END, NULL,
           CASE WHEN i BETWEEN 3500 AND 3600 OR i % 1000 = 999 THEN NULL ELSE i END,
           i / 8.0, repeat('x', i % 40) || i % 7
    FROM generate_series(1, 9000) i;
VACUUM (FREEZE, ANALYZE) resident_forms;
SELECT warpagg_load('resident_forms') BETWEEN 0 AND 9000 AS loaded;

CREATE VIEW resident_forms_sums AS
    SELECT id / 500 AS part, count(*) AS c, sum(narrow) AS n, sum(wide) AS w,
           min(wide) AS w_min, sum(unsigned) AS u, max(unsigned) AS u_max,
           sum(full_width) AS f, min(full_width) AS f_min, sum(scaled) AS s,
           max(scaled) AS s_max, sum(late) AS l, count(late) AS l_count,
           count(all_null) AS a, sum(some_null) AS o, count(some_null) AS o_count,
           min(small) AS r, max(small) AS r_max
    FROM resident_forms GROUP BY 1;
CREATE TABLE resident_forms_ours AS SELECT * FROM resident_forms_sums;
CREATE TABLE resident_forms_names AS
    SELECT name, count(*) AS c FROM resident_forms GROUP BY name;
SET warpagg.enable_scan = off;
SET warpagg.accelerate = off;
SELECT count(*) FROM
    (TABLE resident_forms_ours EXCEPT TABLE resident_forms_sums) AS different;
SELECT count(*) FROM
    (TABLE resident_forms_sums EXCEPT TABLE resident_forms_ours) AS different;
SELECT count(*) FROM
    (TABLE resident_forms_names EXCEPT
     SELECT name, count(*) FROM resident_forms GROUP BY name) AS different;
SELECT count(*), sum(c) FROM resident_forms_names;

-- Texts of an extent: of all lengths, some only alike, hardly any equal, and again
-- others that come often; NULLs, and rows that are left out with their block.
CREATE TABLE resident_texts (
    id integer, short text, alike text, unlike text, few varchar(40), odd numeric);
INSERT INTO resident_texts
    SELECT i, repeat('a', i % 9) || CASE WHEN i % 3 = 0 THEN 'b' ELSE '' END,
           'begins equal ' || i % 5000 || repeat(' ends equal', i % 4),
           CASE WHEN i % 8 < 7 THEN md5(i::text) END, 'no. ' || i / 100 % 50,
           CASE WHEN i % 3001 = 0 THEN 'NaN' ELSE i::numeric END
    FROM generate_series(1, 30000) i;
VACUUM (FREEZE, ANALYZE) resident_texts;
SET warpagg.enable_scan = on;
SET warpagg.accelerate = exact;
SELECT warpagg_load('resident_texts') BETWEEN 0 AND 30000 AS loaded;
CREATE VIEW resident_texts_sums AS
    SELECT 'short' AS name, short AS value, count(*) AS c, sum(id) AS s
    FROM resident_texts GROUP BY short
    UNION ALL SELECT 'alike', alike, count(*), sum(id)
    FROM resident_texts GROUP BY alike
    UNION ALL SELECT 'unlike', unlike, count(*), sum(id)
    FROM resident_texts WHERE id % 4 <> 1 GROUP BY unlike
    UNION ALL SELECT 'few', few, count(*), sum(id)
    FROM resident_texts WHERE short <> 'aaaa' GROUP BY few;
CREATE TABLE resident_texts_ours AS SELECT * FROM resident_texts_sums;
SET warpagg.enable_scan = off;
SET warpagg.accelerate = off;
SELECT count(*) FROM
    (TABLE resident_texts_ours EXCEPT TABLE resident_texts_sums) AS different;
SELECT count(*) FROM
    (TABLE resident_texts_sums EXCEPT TABLE resident_texts_ours) AS different;
SELECT name, count(*), sum(c) FROM resident_texts_ours GROUP BY name ORDER BY name;
