/** Tests of the site. */
@NullMarked
package io.github.stablecut.site;

import org.jspecify.annotations.NullMarked;
