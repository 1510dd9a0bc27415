using Sc2Bridge.Encodings.Columns;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>
/// What stands in a frame's payload before it is compressed: one object for each <see cref="Content"/> in protobuf and
/// in JSON. Stateless; what it makes of a frame is made once and shared.
/// </summary>
/// <param name="field">The field of <c>Frame</c> that holds it where it is not compressed.</param>
/// <param name="jsonName">That field's name in JSON.</param>
/// <param name="isText">Whether it is canonical JSON text in UTF-8, for the JSON WebSocket; else a message.</param>
public abstract class PayloadKind(int field, string jsonName, bool isText)
{
    /// <summary>The observation's bytes as the game sent them.</summary>
    public static PayloadKind Observation { get; } = new ObservationForm();

    /// <summary>The observation's canonical JSON.</summary>
    public static PayloadKind ObservationText { get; } = new ObservationTextForm();

    /// <summary>The units as columns, the rest of the observation beside them.</summary>
    public static PayloadKind Columns { get; } = new ColumnsForm();

    /// <summary>The columns' canonical JSON.</summary>
    public static PayloadKind ColumnsText { get; } = new ColumnsTextForm();

    /// <summary>The field of <c>Frame</c> that holds it where it is not compressed.</summary>
    public int Field { get; } = field;

    /// <summary>That field's name in JSON.</summary>
    public string JsonName { get; } = jsonName;

    /// <summary>Whether it is JSON text.</summary>
    public bool IsText { get; } = isText;

    /// <summary>What a subscriber asked for, as its transport carries it; the observation for what is unknown.</summary>
    public static PayloadKind For(Content content, bool isText) => content switch
    {
        Content.Columns => isText ? ColumnsText : Columns,
        _ => isText ? ObservationText : Observation,
    };

    /// <summary>A frame's content; it lives as long as the frame, which the caller holds.</summary>
    /// <param name="frame">One that all subscribers share.</param>
    /// <exception cref="EncodingException">The observation cannot be read.</exception>
    public abstract ReadOnlyMemory<byte> BytesOf(ObservationFrame frame);

    private sealed class ObservationForm() : PayloadKind(V1.Frame.ObservationFieldNumber, "observation", isText: false)
    {
        public override ReadOnlyMemory<byte> BytesOf(ObservationFrame frame) => frame.Observation;
    }

    private sealed class ObservationTextForm()
        : PayloadKind(V1.Frame.ObservationFieldNumber, "observation", isText: true)
    {
        public override ReadOnlyMemory<byte> BytesOf(ObservationFrame frame) => frame.Encoded(ObservationTextEncoding.Instance);
    }

    private sealed class ColumnsForm() : PayloadKind(V1.Frame.ColumnsFieldNumber, "columns", isText: false)
    {
        public override ReadOnlyMemory<byte> BytesOf(ObservationFrame frame) => frame.Encoded(ColumnsEncoding.Instance);
    }

    private sealed class ColumnsTextForm() : PayloadKind(V1.Frame.ColumnsFieldNumber, "columns", isText: true)
    {
        public override ReadOnlyMemory<byte> BytesOf(ObservationFrame frame) => frame.Encoded(ColumnsTextEncoding.Instance);
    }
}
