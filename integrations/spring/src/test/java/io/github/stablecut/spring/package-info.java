/** Tests of the starter in Spring Boot. */
@NullMarked
package io.github.stablecut.spring;

import org.jspecify.annotations.NullMarked;
