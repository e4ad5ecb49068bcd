/** Tests of what stays in memory. */
@NullMarked
package io.github.stablecut.internal.cache;

import org.jspecify.annotations.NullMarked;
