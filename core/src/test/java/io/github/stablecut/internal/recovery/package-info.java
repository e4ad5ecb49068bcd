/** Tests of forgetting. */
@NullMarked
package io.github.stablecut.internal.recovery;

import org.jspecify.annotations.NullMarked;
