-- keys.sql
--	  Adds keys to the tables of the Star Schema Benchmark, once they are filled, and an
--	  index for each foreign one.  That these hold is not looked at, which takes long.

ALTER TABLE dates ADD PRIMARY KEY (d_datekey);
ALTER TABLE customer ADD PRIMARY KEY (c_custkey);
ALTER TABLE supplier ADD PRIMARY KEY (s_suppkey);
ALTER TABLE part ADD PRIMARY KEY (p_partkey);
ALTER TABLE lineorder ADD PRIMARY KEY (lo_orderkey, lo_linenumber);
CREATE INDEX ON lineorder (lo_custkey);
CREATE INDEX ON lineorder (lo_partkey);
CREATE INDEX ON lineorder (lo_suppkey);
CREATE INDEX ON lineorder (lo_orderdate);
ALTER TABLE lineorder ADD FOREIGN KEY (lo_custkey) REFERENCES customer NOT VALID,
	ADD FOREIGN KEY (lo_partkey) REFERENCES part NOT VALID,
	ADD FOREIGN KEY (lo_suppkey) REFERENCES supplier NOT VALID,
	ADD FOREIGN KEY (lo_orderdate) REFERENCES dates NOT VALID,
	ADD FOREIGN KEY (lo_commitdate) REFERENCES dates NOT VALID;
