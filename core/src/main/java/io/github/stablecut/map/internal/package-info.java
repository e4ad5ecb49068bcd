/**
 * The implementation of tables: the catalogue and its changes, the records and index entries of a
 * table, and their place in a store. It uses the store's public API only.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.map.internal;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
