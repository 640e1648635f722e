-- keys.sql
--	  Adds keys to the tables of TPC-H, once they are filled, and an index for each foreign
--	  one.  That these hold is not looked at, which takes long.

ALTER TABLE region ADD PRIMARY KEY (r_regionkey);
ALTER TABLE nation ADD PRIMARY KEY (n_nationkey);
ALTER TABLE supplier ADD PRIMARY KEY (s_suppkey);
ALTER TABLE customer ADD PRIMARY KEY (c_custkey);
ALTER TABLE part ADD PRIMARY KEY (p_partkey);
ALTER TABLE partsupp ADD PRIMARY KEY (ps_partkey, ps_suppkey);
ALTER TABLE orders ADD PRIMARY KEY (o_orderkey);
ALTER TABLE lineitem ADD PRIMARY KEY (l_orderkey, l_linenumber);
CREATE INDEX ON nation (n_regionkey);
CREATE INDEX ON supplier (s_nationkey);
CREATE INDEX ON customer (c_nationkey);
CREATE INDEX ON partsupp (ps_suppkey);
CREATE INDEX ON orders (o_custkey);
CREATE INDEX ON lineitem (l_partkey, l_suppkey);
CREATE INDEX ON lineitem (l_suppkey);
ALTER TABLE nation ADD FOREIGN KEY (n_regionkey) REFERENCES region NOT VALID;
ALTER TABLE supplier ADD FOREIGN KEY (s_nationkey) REFERENCES nation NOT VALID;
ALTER TABLE customer ADD FOREIGN KEY (c_nationkey) REFERENCES nation NOT VALID;
ALTER TABLE partsupp ADD FOREIGN KEY (ps_partkey) REFERENCES part NOT VALID,
	ADD FOREIGN KEY (ps_suppkey) REFERENCES supplier NOT VALID;
ALTER TABLE orders ADD FOREIGN KEY (o_custkey) REFERENCES customer NOT VALID;
ALTER TABLE lineitem ADD FOREIGN KEY (l_orderkey) REFERENCES orders NOT VALID,
	ADD FOREIGN KEY (l_partkey, l_suppkey) REFERENCES partsupp NOT VALID;
