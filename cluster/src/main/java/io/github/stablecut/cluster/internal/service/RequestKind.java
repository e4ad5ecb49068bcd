package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.cluster.internal.antidote.Request;
import java.util.Locale;

/** The kind of a request, as a label of metrics. */
public enum RequestKind {
  START,
  READ,
  UPDATE,
  COMMIT,
  ABORT,
  STATIC_READ,
  STATIC_UPDATE,
  VALIDATE,
  /** Requests about data centres. */
  ADMINISTRATION,
  /** Malformed requests. */
  INVALID;

  static RequestKind of(Request request) {
    return request.accept(new Kind());
  }

  private static final class Kind implements Request.Visitor<RequestKind> {
    @Override
    public RequestKind start(Request.Start request) {
      return START;
    }

    @Override
    public RequestKind abort(Request.Abort request) {
      return ABORT;
    }

    @Override
    public RequestKind commit(Request.Commit request) {
      return COMMIT;
    }

    @Override
    public RequestKind read(Request.Read request) {
      return READ;
    }

    @Override
    public RequestKind update(Request.Update request) {
      return UPDATE;
    }

    @Override
    public RequestKind staticUpdate(Request.StaticUpdate request) {
      return STATIC_UPDATE;
    }

    @Override
    public RequestKind staticRead(Request.StaticRead request) {
      return STATIC_READ;
    }

    @Override
    public RequestKind validate(Request.Validate request) {
      return VALIDATE;
    }

    @Override
    public RequestKind createDataCentre(Request.CreateDataCentre request) {
      return ADMINISTRATION;
    }

    @Override
    public RequestKind connectDataCentres(Request.ConnectDataCentres request) {
      return ADMINISTRATION;
    }

    @Override
    public RequestKind describeConnection(Request.DescribeConnection request) {
      return ADMINISTRATION;
    }
  }

  /** The name that metrics use. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
