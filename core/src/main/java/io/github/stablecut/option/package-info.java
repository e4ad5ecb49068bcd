/**
 * How a store is opened and used: {@link io.github.stablecut.option.StoreOptions} and what is in
 * it, and the options of a single transaction, read or watch. All are immutable; {@code with…}
 * makes a changed copy.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.option;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
