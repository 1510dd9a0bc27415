namespace Sc2Bridge.Encodings.Payloads;

/// <summary>How a transport carries an event.</summary>
public enum MessageForm
{
    /// <summary>Protobuf.</summary>
    Proto,

    /// <summary>Canonical proto3 JSON in UTF-8.</summary>
    Json,
}
