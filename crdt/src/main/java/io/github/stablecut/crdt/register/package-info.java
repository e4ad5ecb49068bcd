/** Values that are replaced as a whole: registers, records of columns, and flags. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.crdt.register;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
