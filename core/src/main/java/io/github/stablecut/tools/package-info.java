/**
 * Tools for closed stores, used by the command line and available to programs. {@link
 * io.github.stablecut.tools.Verification} checks all bytes, {@link
 * io.github.stablecut.tools.Inspection} describes the contents, and {@link
 * io.github.stablecut.tools.JournalDump} lists the records of journals. These three change nothing,
 * so they work on read-only directories, and they need no JVM flags. Meanwhile no process can open
 * the store.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.tools;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
