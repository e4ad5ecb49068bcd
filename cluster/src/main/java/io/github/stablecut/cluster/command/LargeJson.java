package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Parses answers of servers, whose objects may exceed Jackson's default limits. */
final class LargeJson {
  private LargeJson() {}

  /** A mapper for texts and numbers of any length. */
  static ObjectMapper mapper() {
    return new ObjectMapper(
        JsonFactory.builder()
            .streamReadConstraints(
                StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .build());
  }
}
