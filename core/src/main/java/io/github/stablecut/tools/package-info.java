/**
 * Tools for a store that nobody has open: {@link io.github.stablecut.tools.Verification} checks all
 * its bytes, {@link io.github.stablecut.tools.Inspection} says what it consists of, {@link
 * io.github.stablecut.tools.JournalDump} shows its journal. They change nothing, so they work on a
 * directory that can't be written to, and they need no flags of the JVM. Meanwhile nobody can open
 * the store. Called by the command line, and by programs that want the same.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.tools;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
