/**
 * RocksDB as a storage of tables: {@code TableMap.open("rocksdb:DIRECTORY")}. What another storage
 * takes, by example.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.rocksdb;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
