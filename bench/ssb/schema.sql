-- schema.sql
--	  Makes the tables of the Star Schema Benchmark, empty: the columns of its
--	  specification.  *_rows.sql fills them, keys.sql adds keys and indexes.

SET client_min_messages = warning;
CREATE TABLE dates (
	d_datekey int4 NOT NULL,
	d_date char(18) NOT NULL,
	d_dayofweek char(9) NOT NULL,
	d_month char(9) NOT NULL,
	d_year int4 NOT NULL,
	d_yearmonthnum int4 NOT NULL,
	d_yearmonth char(7) NOT NULL,
	d_daynuminweek int4 NOT NULL,
	d_daynuminmonth int4 NOT NULL,
	d_daynuminyear int4 NOT NULL,
	d_monthnuminyear int4 NOT NULL,
	d_weeknuminyear int4 NOT NULL,
	d_sellingseason varchar(12) NOT NULL,
	d_lastdayinweekfl boolean NOT NULL,
	d_lastdayinmonthfl boolean NOT NULL,
	d_holidayfl boolean NOT NULL,
	d_weekdayfl boolean NOT NULL
);
-- The name that published queries have.
CREATE VIEW date AS SELECT * FROM dates;

CREATE TABLE customer (
	c_custkey int4 NOT NULL,
	c_name varchar(25) NOT NULL,
	c_address varchar(25) NOT NULL,
	c_city char(10) NOT NULL,
	c_nation char(15) NOT NULL,
	c_region char(12) NOT NULL,
	c_phone char(15) NOT NULL,
	c_mktsegment char(10) NOT NULL
);

CREATE TABLE supplier (
	s_suppkey int4 NOT NULL,
	s_name char(25) NOT NULL,
	s_address varchar(25) NOT NULL,
	s_city char(10) NOT NULL,
	s_nation char(15) NOT NULL,
	s_region char(12) NOT NULL,
	s_phone char(15) NOT NULL
);

CREATE TABLE part (
	p_partkey int4 NOT NULL,
	p_name varchar(22) NOT NULL,
	p_mfgr char(6) NOT NULL,
	p_category char(7) NOT NULL,
	p_brand1 char(9) NOT NULL,
	p_color varchar(11) NOT NULL,
	p_type varchar(25) NOT NULL,
	p_size int4 NOT NULL,
	p_container char(10) NOT NULL
);

CREATE TABLE lineorder (
	lo_orderkey int8 NOT NULL,
	lo_linenumber int4 NOT NULL,
	lo_custkey int4 NOT NULL,
	lo_partkey int4 NOT NULL,
	lo_suppkey int4 NOT NULL,
	lo_orderdate int4 NOT NULL,
	lo_orderpriority char(15) NOT NULL,
	lo_shippriority char(1) NOT NULL,
	lo_quantity int4 NOT NULL,
	lo_extendedprice int4 NOT NULL,
	lo_ordtotalprice int4 NOT NULL,
	lo_discount int4 NOT NULL,
	lo_revenue int4 NOT NULL,
	lo_supplycost int4 NOT NULL,
	lo_tax int4 NOT NULL,
	lo_commitdate int4 NOT NULL,
	lo_shipmode char(10) NOT NULL
);
