-- update.sql
--	  What a writer of bench/churn.sh does that updates: one reading at a random
--	  place.
--	  pgbench variables: rows, that the table had at first.

\set id random(1, :rows)
UPDATE readings SET v = v + 1, i = i - 1, f = f + 0.5 WHERE id = :id;
