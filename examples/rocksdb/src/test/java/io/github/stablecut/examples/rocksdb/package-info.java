/** Tests of tables in RocksDB. */
@NullMarked
package io.github.stablecut.examples.rocksdb;

import org.jspecify.annotations.NullMarked;
