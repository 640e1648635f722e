-- draw.sql
--	  What the rows of tables are drawn from, before each *_rows.sql: numbers, words, and
--	  what TPC-H's specification says of several tables (chapters 4.2.2 and 4.2.3).
--	  The random numbers are hashes, so that rows are the same for everyone.

-- A number from 0 to n - 1 for column c of a row; rows are told apart by key.
CREATE OR REPLACE FUNCTION pg_temp.draw(key int8, c int8, n int8)
RETURNS int8 LANGUAGE sql IMMUTABLE
RETURN (hashint8extended(key, c) & 1152921504606846975) % n;

-- Likewise, but the smaller ones more often: a power, 2 or more, of uniform numbers.  The first of
-- n numbers is drawn in n ^ (-1 / power) of all cases.
CREATE OR REPLACE FUNCTION pg_temp.skewed(key int8, c int8, n int8, power int8 DEFAULT 2)
RETURNS int8 LANGUAGE sql IMMUTABLE
RETURN floor(n * (pg_temp.draw(key, c, 1000000000) / 1e9::float8) ^ power)::int8;

-- A text of so many letters and digits.
CREATE OR REPLACE FUNCTION pg_temp.letters(key int8, c int8, length int8)
RETURNS text LANGUAGE sql IMMUTABLE
RETURN substr(md5(key::text || '.' || c::text) || md5(c::text || '.' || key::text), 1, length::int4);

-- The words of a kind; those of a comment make phrases that queries look for.
CREATE OR REPLACE FUNCTION pg_temp.words(kind text)
RETURNS text[] LANGUAGE sql IMMUTABLE
RETURN CASE kind
	WHEN 'region' THEN '{AFRICA,AMERICA,ASIA,EUROPE,MIDDLE EAST}'::text[]
	WHEN 'nation' THEN '{ALGERIA,ARGENTINA,BRAZIL,CANADA,EGYPT,ETHIOPIA,FRANCE,GERMANY,
		INDIA,INDONESIA,IRAN,IRAQ,JAPAN,JORDAN,KENYA,MOROCCO,MOZAMBIQUE,PERU,CHINA,ROMANIA,
		SAUDI ARABIA,VIETNAM,RUSSIA,UNITED KINGDOM,UNITED STATES}'
	WHEN 'segment' THEN '{AUTOMOBILE,BUILDING,FURNITURE,MACHINERY,HOUSEHOLD}'
	WHEN 'priority' THEN '{1-URGENT,2-HIGH,3-MEDIUM,4-NOT SPECIFIED,5-LOW}'
	WHEN 'instruct' THEN '{DELIVER IN PERSON,COLLECT COD,NONE,TAKE BACK RETURN}'
	WHEN 'mode' THEN '{REG AIR,AIR,RAIL,SHIP,TRUCK,MAIL,FOB}'
	WHEN 'size' THEN '{STANDARD,SMALL,MEDIUM,LARGE,ECONOMY,PROMO}'
	WHEN 'finish' THEN '{ANODIZED,BURNISHED,PLATED,POLISHED,BRUSHED}'
	WHEN 'metal' THEN '{TIN,NICKEL,BRASS,STEEL,COPPER}'
	WHEN 'large' THEN '{SM,LG,MED,JUMBO,WRAP}'
	WHEN 'container' THEN '{CASE,BOX,BAG,JAR,PKG,PACK,CAN,DRUM}'
	WHEN 'color' THEN '{almond,antique,aquamarine,azure,beige,bisque,black,blanched,blue,
		blush,brown,burlywood,burnished,chartreuse,chiffon,chocolate,coral,cornflower,
		cornsilk,cream,cyan,dark,deep,dim,dodger,drab,firebrick,floral,forest,frosted,
		gainsboro,ghost,goldenrod,green,grey,honeydew,hot,indian,ivory,khaki,lace,lavender,
		lawn,lemon,light,lime,linen,magenta,maroon,medium,metallic,midnight,mint,misty,
		moccasin,navajo,navy,olive,orange,orchid,pale,papaya,peach,peru,pink,plum,powder,
		puff,purple,red,rose,rosy,royal,saddle,salmon,sandy,seashell,sienna,sky,slate,smoke,
		snow,spring,steel,tan,thistle,tomato,turquoise,violet,wheat,white,yellow}'
	WHEN 'which' THEN '{special,pending,late,early,open,small,large,usual,odd,final}'
	WHEN 'what' THEN '{requests,invoices,parcels,offers,prices,returns,questions,repairs,
		letters,samples}'
	WHEN 'does' THEN '{wait,arrive,return,follow,remain,change,settle}'
	WHEN 'when' THEN '{today,on Mondays,before noon,at night,in spring,once more,at last,
		by request of special friends}'
END;

-- One of the words of a kind.
CREATE OR REPLACE FUNCTION pg_temp.word(kind text, key int8, c int8)
RETURNS text LANGUAGE sql IMMUTABLE
RETURN (pg_temp.words(kind))[pg_temp.draw(key, c, cardinality(pg_temp.words(kind))) + 1];

-- A short comment; one of a hundred tells of special requests.
CREATE OR REPLACE FUNCTION pg_temp.comment(key int8, c int8)
RETURNS text LANGUAGE sql IMMUTABLE
RETURN pg_temp.word('which', key, c) || ' ' || pg_temp.word('what', key, c + 1) || ' '
	|| pg_temp.word('does', key, c + 2) || ' ' || pg_temp.word('when', key, c + 3);

-- The number of a nation's region.
CREATE OR REPLACE FUNCTION pg_temp.region_of(nation int8)
RETURNS int4 LANGUAGE sql IMMUTABLE
RETURN ('{0,1,1,1,4,0,3,3,2,2,4,4,2,4,0,0,0,1,2,3,4,2,3,3,1}'::int4[])[nation + 1];

-- A telephone number, which begins with the nation's.
CREATE OR REPLACE FUNCTION pg_temp.phone(nation int8, key int8, c int8)
RETURNS text LANGUAGE sql IMMUTABLE
RETURN nation + 10 || '-' || pg_temp.draw(key, c, 900) + 100 || '-'
	|| pg_temp.draw(key, c + 1, 900) + 100 || '-' || pg_temp.draw(key, c + 2, 9000) + 1000;

-- The key of an order, from 0 on: eight of 32 are used.
CREATE OR REPLACE FUNCTION pg_temp.order_key(number int8)
RETURNS int8 LANGUAGE sql IMMUTABLE
RETURN number / 8 * 32 + number % 8 + 1;

-- Its day, and its number of lines, one to seven.
CREATE OR REPLACE FUNCTION pg_temp.order_date(number int8)
RETURNS date LANGUAGE sql IMMUTABLE
RETURN date '1992-01-01' + pg_temp.draw(number, 20, 2406)::int4;
CREATE OR REPLACE FUNCTION pg_temp.order_lines(number int8)
RETURNS int4 LANGUAGE sql IMMUTABLE
RETURN pg_temp.draw(number, 21, 7)::int4 + 1;

-- The price of a part, in cents.
CREATE OR REPLACE FUNCTION pg_temp.part_price(part int8)
RETURNS int4 LANGUAGE sql IMMUTABLE
RETURN (90000 + part / 10 % 20001 + 100 * (part % 1000))::int4;

-- One of the four suppliers of a part, which have numbers from 0.
CREATE OR REPLACE FUNCTION pg_temp.part_supplier(part int8, number int8, suppliers int8)
RETURNS int4 LANGUAGE sql IMMUTABLE
RETURN ((part + number * (suppliers / 4 + (part - 1) / suppliers)) % suppliers + 1)::int4;
