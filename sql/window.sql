--
-- Windows: final functions run again and again over a growing state.
--
\pset null '(null)'
SELECT id, sum(i4) OVER w, gpu_sum(i4) OVER w, min(i4) OVER w, gpu_min(i4) OVER w,
       sum(f8) OVER w, gpu_sum(f8) OVER w
FROM wa_values WHERE id <= 8 WINDOW w AS (ORDER BY id) ORDER BY id;

SELECT count(*) AS rows,
       count(*) FILTER (WHERE s4 IS DISTINCT FROM g4) AS int4,
       count(*) FILTER (WHERE s8 IS DISTINCT FROM g8) AS int8,
       count(*) FILTER (WHERE sf IS DISTINCT FROM gf) AS float8,
       count(*) FILTER (WHERE md IS DISTINCT FROM gd) AS date
FROM (SELECT sum(i4) OVER w AS s4, gpu_sum(i4) OVER w AS g4,
             sum(i8) OVER w AS s8, gpu_sum(i8) OVER w AS g8,
             sum(f8) OVER w AS sf, gpu_sum(f8) OVER w AS gf,
             min(d) OVER w AS md, gpu_min(d) OVER w AS gd
      FROM wa_values WINDOW w AS (PARTITION BY grp ORDER BY id)) s;

-- moving frames, peers, exclusion, an empty frame
SELECT count(*) AS rows,
       count(*) FILTER (WHERE s4 IS DISTINCT FROM g4) AS int4,
       count(*) FILTER (WHERE sf IS DISTINCT FROM gf) AS float8,
       count(*) FILTER (WHERE mf IS DISTINCT FROM gmf) AS min
FROM (SELECT sum(i4) OVER w AS s4, gpu_sum(i4) OVER w AS g4,
             sum(f8) OVER w AS sf, gpu_sum(f8) OVER w AS gf,
             min(f4) OVER w AS mf, gpu_min(f4) OVER w AS gmf
      FROM wa_values WHERE id <= 2000
      WINDOW w AS (ORDER BY id ROWS BETWEEN 50 PRECEDING AND 10 PRECEDING)) s;
SELECT count(*) AS rows,
       count(*) FILTER (WHERE s4 IS DISTINCT FROM g4) AS int4,
       count(*) FILTER (WHERE mf IS DISTINCT FROM gmf) AS min
FROM (SELECT sum(i4) OVER w AS s4, gpu_sum(i4) OVER w AS g4,
             min(f4) OVER w AS mf, gpu_min(f4) OVER w AS gmf
      FROM wa_values WHERE id <= 500
      WINDOW w AS (ORDER BY grp RANGE BETWEEN 1 PRECEDING AND CURRENT ROW
                   EXCLUDE CURRENT ROW)) s;
SELECT count(*) AS rows, count(*) FILTER (WHERE s IS DISTINCT FROM g) AS filtered
FROM (SELECT sum(i8) FILTER (WHERE id % 3 = 0) OVER w AS s,
             gpu_sum(i8) FILTER (WHERE id % 3 = 0) OVER w AS g
      FROM wa_values WHERE id <= 2000
      WINDOW w AS (PARTITION BY grp ORDER BY id)) s;

-- aggregates of aggregates
SELECT grp, sum(sum(i4)) OVER (ORDER BY grp) = gpu_sum(gpu_sum(i4)::int8) OVER (ORDER BY grp) AS equal
FROM wa_values GROUP BY grp ORDER BY grp;
