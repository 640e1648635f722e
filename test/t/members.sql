-- Prints what belongs to the extension in a database: a line for each member, with all
-- that the catalogs say about it (but where in the script its defaults stood), then one
-- for each object that a member, or the rule of a view, depends on.

SET search_path = '';
CREATE TEMP TABLE members AS
    SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
    WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
        AND e.extname = 'warpagg';
SELECT pg_describe_object(m.classid, m.objid, 0),
    regexp_replace((to_jsonb(p) - '{oid,pronamespace}'::text[])::text, ':location \d+', '', 'g'),
    CASE WHEN p.prokind = 'f' THEN to_json(pg_get_functiondef(p.oid)) END,
    to_jsonb(a) - 'aggfnoid', to_json(pg_get_viewdef(c.oid)), c.relkind, c.relowner,
    c.relacl, c.reloptions,
    (SELECT json_agg(json_build_array(attname, atttypid, attacl) ORDER BY attnum)
        FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0),
    (SELECT json_agg(json_build_array(i.objsubid, i.privtype, i.initprivs))
        FROM pg_init_privs i WHERE i.classoid = m.classid AND i.objoid = m.objid),
    (SELECT json_agg(json_build_array(d.objsubid, d.description))
        FROM pg_description d WHERE d.classoid = m.classid AND d.objoid = m.objid)
FROM pg_temp.members m
LEFT JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
LEFT JOIN pg_aggregate a ON a.aggfnoid = p.oid
LEFT JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid;
SELECT DISTINCT pg_describe_object(d.classid, d.objid, d.objsubid), d.deptype,
    pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
FROM pg_depend d LEFT JOIN pg_rewrite r
    ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
JOIN pg_temp.members m ON (d.classid, d.objid) = (m.classid, m.objid)
    OR (m.classid, m.objid) = ('pg_class'::regclass, r.ev_class);
