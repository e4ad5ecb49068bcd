/** Tests of forgetting. */
@NullMarked
package io.github.stablecut.internal.truncation;

import org.jspecify.annotations.NullMarked;
