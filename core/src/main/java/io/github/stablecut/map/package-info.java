/**
 * A map of several dimensions over any storage: tables whose records lie in partitions, ordered by
 * a clustering key, with typed columns, conditional and atomic mutations, secondary indexes and
 * ranges. A {@link io.github.stablecut.map.TableMap} lies on a store of Stablecut, or on whatever
 * implements {@link io.github.stablecut.map.storage.RecordStorage}; who uses it sees no difference.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.map;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
