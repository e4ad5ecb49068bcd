/**
 * What a {@link io.github.stablecut.map.TableMap} needs of a storage: ordered records of cells,
 * snapshots of them, and linearisable computations on some of them. Tables, types, conditions and
 * indexes are none of a storage's business.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.map.storage;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
