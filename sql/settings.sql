--
-- The settings, and the views on the device process.
--
LOAD 'warpagg';
SELECT name, vartype, context, unit, boot_val, min_val, enumvals
FROM pg_settings WHERE name LIKE 'warpagg.%' ORDER BY name;
SET warpagg.device = 'quantum';
SET warpagg.min_device_rows = -1;
\set VERBOSITY sqlstate
SET warpagg.buffer_memory = 0;
\set VERBOSITY default
SET warpagg.nonsense = 1;

-- The result does not depend on who reduces.
SET warpagg.device = cpu;
SET warpagg.min_device_rows = 0;
SELECT sum(i4) = gpu_sum(i4), sum(f8) = gpu_sum(f8) FROM wa_values;
SET warpagg.min_device_rows = 1000000;
SELECT sum(i4) = gpu_sum(i4), sum(f8) = gpu_sum(f8) FROM wa_values;
RESET warpagg.min_device_rows;
RESET warpagg.device;

-- Whoever may connect may look.
CREATE ROLE wa_looker;
SET ROLE wa_looker;
SELECT count(*) >= 0 AS devices FROM warpagg_devices;
SELECT count(*) >= 0 AS stats FROM warpagg_stats;
SELECT count(*) >= 0 AS reductions FROM warpagg_reductions;
SET warpagg.debug_delay = 1;
SET warpagg.daemon_path = '/bin/true';
RESET ROLE;
DROP ROLE wa_looker;

-- The extension goes without a trace, and comes again.
SELECT count(*) > 90 AS there FROM pg_proc WHERE proname LIKE 'gpu\_%';
DROP EXTENSION warpagg;
SELECT count(*) FROM pg_proc WHERE proname LIKE 'gpu\_%';
CREATE EXTENSION warpagg;
SELECT gpu_sum(x) FROM generate_series(1, 10) x;
