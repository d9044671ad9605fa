// Runs SQL with DuckDB and expressions with Polars for check.py: a request a line of
// JSON on standard input, an answer a line on standard output.
import { createInterface } from 'node:readline'
import { DuckDBInstance } from '@duckdb/node-api'

const connection = await (await DuckDBInstance.create()).connect()

// run runs all statements of a text and returns the rows of each that has any.
async function run(text) {
  const results = []
  const statements = await connection.extractStatements(text)
  for (let i = 0; i < statements.count; i++) {
    const reader = await (await statements.prepare(i)).runAndReadAll()
    results.push(reader.getRowObjectsJson())
  }
  return results
}

// Methods of Polars in Python that have another name here.
const operators = { __add__: 'add', __sub__: 'sub', __mul__: 'mul', __truediv__: 'div' }
const renamed = (name) => operators[name] ?? name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())

// The bindings know all methods of quantiles but one, which their engine has.
function quantile(pl, of, level, method) {
  if (method !== 'equiprobable') return of.quantile(level, method)
  const plan = of.quantile(level, 'higher').serialize('json').toString()
  return pl.Expr.deserialize(Buffer.from(plan.replace('"Higher"', '"Equiprobable"')), 'json')
}

// replay makes again what Python recorded: {"value"}, {"list"}, or a call of a method.
async function replay(pl, node) {
  if ('value' in node) return node.value
  const list = async (nodes) => {
    const out = []
    for (const n of nodes) out.push(await replay(pl, n))
    return out
  }
  if ('list' in node) return list(node.list)
  const of = node.of ? await replay(pl, node.of) : pl
  const args = await list(node.args)
  if (node.call === 'quantile') return quantile(pl, of, ...args)
  const method = of[renamed(node.call)]
  if (!method) throw new Error(`Polars for JavaScript has no ${renamed(node.call)}`)
  return await method.apply(of, args)
}

async function answer(request) {
  if (request.sql) return run(request.sql)
  const { default: pl } = await import('nodejs-polars')
  return (await replay(pl, request.polars)).toRecords()
}

const replacer = (_, v) => (typeof v === 'bigint' ? Number(v) : v)
for await (const line of createInterface({ input: process.stdin })) {
  let out
  try {
    out = { result: await answer(JSON.parse(line)) }
  } catch (e) {
    out = { error: e.message }
  }
  console.log(JSON.stringify(out, replacer))
}
