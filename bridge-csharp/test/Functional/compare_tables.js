// node compare_tables.js OLDER NEWER: prints as JSON what tables of Parquet in the folder OLDER have, and those in NEWER lack.
// The columns of an older table must come first, with the same types, and its rows must be the same.

const fs = require("node:fs");
const path = require("node:path");
const { DuckDBInstance } = require("@duckdb/node-api");

async function main() {
  const [older, newer] = process.argv.slice(2);
  const connection = await (await DuckDBInstance.create()).connect();
  const rows = async (query) => (await connection.runAndReadAll(query)).getRowsJson();
  const differences = [];
  const tables = fs.readdirSync(older).filter((name) => name.endsWith(".parquet"));
  for (const table of tables) {
    const [before, after] = [older, newer].map((folder) => `read_parquet('${path.join(folder, table).replaceAll("'", "''")}')`);
    if (!fs.existsSync(path.join(newer, table))) {
      differences.push(`${table} is missing`);
      continue;
    }
    const columns = (await rows(`DESCRIBE SELECT * FROM ${before}`)).map(([name, type]) => `${name} ${type}`);
    const kept = (await rows(`DESCRIBE SELECT * FROM ${after}`)).map(([name, type]) => `${name} ${type}`).slice(0, columns.length);
    if (JSON.stringify(columns) !== JSON.stringify(kept)) {
      differences.push(`${table}: ${columns.filter((column, index) => column !== kept[index]).join(", ")}`);
      continue;
    }
    const names = columns.map((column) => `"${column.split(" ")[0]}"`).join(", ");
    for (const [from, without] of [[before, after], [after, before]]) {
      const [[count]] = await rows(`SELECT count(*) FROM (SELECT ${names} FROM ${from} EXCEPT ALL SELECT ${names} FROM ${without})`);
      if (Number(count) > 0) {
        differences.push(`${table}: ${count} rows differ`);
      }
    }
  }
  console.log(JSON.stringify({ tables: tables.length, differences }));
}

main();
