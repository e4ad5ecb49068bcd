/** {@code gitlog} end to end and in parts; the plain count is the oracle. */
@NullMarked
package io.github.stablecut.examples.gitlog;

import org.jspecify.annotations.NullMarked;
