// Reads a match's Parquet tables with DuckDB and with hyparquet, and prints what each counted, as JSON.
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const folder = process.argv[2];
const file = (table) => path.join(folder, `${table}.parquet`);
const tables = ['units', 'orders', 'buff_ids', 'players', 'actions', 'events'];

async function duckdb() {
  const { DuckDBInstance } = require('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create()).connect();
  const rows = async (sql) => (await connection.runAndReadAll(sql)).getRowsJson();
  const counted = {};
  for (const table of tables) {
    counted[table] = Number((await rows(`SELECT count(*) FROM '${file(table)}'`))[0][0]);
  }
  counted.scvs = Number((await rows(
    `SELECT count(*) FROM '${file('units')}' JOIN '${file('unit_types')}' ON unit_type = unit_id WHERE name = 'SCV'`))[0][0]);
  const steps = await rows(
    `SELECT step, count(*), count(*) FILTER (alliance = 1), sum(health::DOUBLE) FROM '${file('units')}' GROUP BY step ORDER BY step`);
  return { counted, steps: steps.map((row) => row.map(Number)) };
}

async function hyparquet() {
  // They are modules, which are not looked for where NODE_PATH says.
  const from = (name) => import(pathToFileURL(path.join(process.env.NODE_PATH, name)).href);
  const { asyncBufferFromFile, parquetReadObjects, parquetMetadataAsync } = await from('hyparquet/src/node.js');
  const { decompress } = require('fzstd');
  const compressors = { ZSTD: (input, length) => decompress(input, new Uint8Array(length)) };
  const counted = {};
  for (const table of tables) {
    counted[table] = Number((await parquetMetadataAsync(await asyncBufferFromFile(file(table)))).num_rows);
  }
  const units = await parquetReadObjects({
    file: await asyncBufferFromFile(file('units')), columns: ['step', 'alliance', 'health', 'unit_type'], compressors,
  });
  const types = await parquetReadObjects({ file: await asyncBufferFromFile(file('unit_types')), compressors });
  const scv = types.find(({ name }) => name === 'SCV')?.unit_id;
  counted.scvs = units.filter(({ unit_type }) => unit_type === scv).length;
  const steps = new Map();
  for (const { step, alliance, health } of units) {
    const row = steps.get(Number(step)) ?? [Number(step), 0, 0, 0];
    steps.set(row[0], [row[0], row[1] + 1, row[2] + (alliance === 1), row[3] + health]);
  }
  return { counted, steps: [...steps.values()] };
}

(async () => console.log(JSON.stringify([await duckdb(), await hyparquet()])))();
