namespace Sc2Bridge.Encodings.Payloads;

/// <summary>The form of an event in a transport.</summary>
public enum MessageForm
{
    /// <summary>Protobuf.</summary>
    Proto,

    /// <summary>Canonical proto3 JSON in UTF-8.</summary>
    Json,
}
