// Replays a sequential editing trace on a Yjs text and prints CSV as `bench text` does.
// usage: node --expose-gc yjs.mjs FILE ROUNDS
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import * as Y from 'yjs'

const [file, rounds] = process.argv.slice(2)
const bytes = readFileSync(file)
const trace = JSON.parse(file.endsWith('.gz') ? gunzipSync(bytes) : bytes)

const usedBytes = () => {
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

const replay = () => {
  const doc = new Y.Doc()
  doc.clientID = 1
  const text = doc.getText('text')
  const start = performance.now()
  for (const { patches } of trace.txns) {
    doc.transact(() => {
      for (const [position, deleted, inserted] of patches) {
        if (deleted > 0) text.delete(position, deleted)
        if (inserted !== '') text.insert(position, inserted)
      }
    })
  }
  const equal = text.toString() === trace.endContent
  const millis = performance.now() - start
  if (!equal) throw new Error('the text is not the one expected')
  return { doc, millis }
}

for (let round = 1; round <= Number(rounds); round++) {
  const before = usedBytes()
  const { doc, millis } = replay()
  const live = usedBytes() - before
  const encoded = Y.encodeStateAsUpdateV2(doc).length
  const encodedFirstFormat = Y.encodeStateAsUpdate(doc).length
  console.log(`yjs,-,${round},${millis.toFixed(0)},${live},${encoded},${encodedFirstFormat}`)
}
