/*
 * duckdb.cjs
 *	  Has DuckDB run queries over a copy of a table, for bench/aggregates.sh.
 *
 * Usage: node duckdb.cjs FOLDER TABLE THREADS WARM_UPS RUNS
 *
 * The folder has the table's rows in duckdb.csv, and its columns with their types, apart by
 * commas, in duckdb.columns; the database is made there.  Standard input has a query a line:
 * its name, a tab, its text.  Prints DuckDB's version, then for each query its name, the median of
 * its milliseconds (nothing if it fails), and the number of its rows, with tabs between them.
 */
"use strict";

const fs = require("fs");
const { DuckDBInstance } = require("@duckdb/node-api");

const [folder, table, threads, warmUps, runs] = process.argv.slice(2);

function median(times)
{
	const sorted = times.toSorted((a, b) => a - b);
	const half = sorted.length >> 1;

	return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/* Milliseconds and rows of a query. */
async function runOnce(connection, query)
{
	const start = performance.now();
	const reader = await connection.runAndReadAll(query);

	return { time: performance.now() - start, rows: reader.currentRowCount };
}

async function measure(connection, query)
{
	const times = [];
	let rows;

	for (let run = -warmUps; run < runs; run++) {
		const done = await runOnce(connection, query);

		rows = done.rows;
		if (run >= 0)
			times.push(done.time);
	}
	return `${median(times).toFixed(3)}\t${rows}`;
}

async function main()
{
	const instance = await DuckDBInstance.create(`${folder}/duckdb.db`, { threads });
	const connection = await instance.connect();
	const columns = fs.readFileSync(`${folder}/duckdb.columns`, "utf8").trim();
	const version = await connection.runAndReadAll("SELECT version()");

	console.log(`DuckDB ${version.getRows()[0][0]}`);
	await connection.run(`CREATE TABLE ${table} (${columns})`);
	await connection.run(`COPY ${table} FROM '${folder}/duckdb.csv' (FORMAT csv, HEADER false)`);
	await connection.run("CHECKPOINT");
	for (const line of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
		const [name, query] = line.split("\t");
		const result = await measure(connection, query).catch((error) => {
			console.error(`${name}: ${error.message}`);
			return "\t";
		});

		console.log(`${name}\t${result}`);
	}
}

main();
