-- lineitem.sql
--	  Makes TPC-H's lineitem, empty: the columns of the specification's chapter
--	  1.4.  lineitem_rows.sql fills it.

DROP TABLE IF EXISTS lineitem;
CREATE TABLE lineitem (
	l_orderkey int8 NOT NULL,
	l_partkey int4 NOT NULL,
	l_suppkey int4 NOT NULL,
	l_linenumber int4 NOT NULL,
	l_quantity numeric(15, 2) NOT NULL,
	l_extendedprice numeric(15, 2) NOT NULL,
	l_discount numeric(15, 2) NOT NULL,
	l_tax numeric(15, 2) NOT NULL,
	l_returnflag char(1) NOT NULL,
	l_linestatus char(1) NOT NULL,
	l_shipdate date NOT NULL,
	l_commitdate date NOT NULL,
	l_receiptdate date NOT NULL,
	l_shipinstruct char(25) NOT NULL,
	l_shipmode char(10) NOT NULL,
	l_comment varchar(44) NOT NULL
);
