/**
 * RocksDB as a storage of tables: {@code TableMap.open("rocksdb:DIRECTORY")}. An example of what
 * another storage has to implement.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.rocksdb;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
