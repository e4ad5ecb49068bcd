/** Tests of the pages of large states. */
@NullMarked
package io.github.stablecut.internal.paging;

import org.jspecify.annotations.NullMarked;
