@NullMarked
package io.github.stablecut.internal.partition;

import org.jspecify.annotations.NullMarked;
