/** Tests of the starter in Spring Boot 3. */
@NullMarked
package io.github.stablecut.spring;

import org.jspecify.annotations.NullMarked;
