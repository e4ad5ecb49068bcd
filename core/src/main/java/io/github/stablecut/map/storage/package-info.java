/**
 * The interface of storages for a {@link io.github.stablecut.map.TableMap}: ordered records of
 * cells, snapshots of them, and linearizable computations on some of them. A storage knows nothing
 * of tables, types, conditions and indexes.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.map.storage;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
