/** Tests of the archive and the runnable jar. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.dist;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
