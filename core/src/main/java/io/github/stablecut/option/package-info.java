/**
 * Options of stores, transactions, snapshots, scans and watches. {@link
 * io.github.stablecut.option.StoreOptions} contains all options of a store. All are immutable;
 * {@code with…} methods return a changed copy.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.option;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
