/** Tests of replicated objects. */
@NullMarked
package io.github.stablecut.object;

import org.jspecify.annotations.NullMarked;
