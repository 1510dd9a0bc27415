using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Measuring.Codecs;

/// <summary>
/// One observation in every form that a codec starts from, made before anything is timed, and the buffer that codecs
/// write to.
/// </summary>
public sealed class Subject
{
    private byte[] _buffer = [];

    /// <summary>The bytes that the game sent.</summary>
    public byte[] Wire { get; private set; } = [];

    /// <summary>Those parsed.</summary>
    public ResponseObservation Message { get; private set; } = new();

    /// <summary>The stock formatter's canonical JSON.</summary>
    public string Text { get; private set; } = "";

    /// <summary>The same in UTF-8.</summary>
    public byte[] Utf8 { get; private set; } = [];

    /// <summary>Takes the next observation.</summary>
    /// <param name="wire">A serialized <c>ResponseObservation</c>.</param>
    public void Take(byte[] wire)
    {
        Wire = wire;
        Message = ResponseObservation.Parser.ParseFrom(wire);
        Text = JsonFormatter.Default.Format(Message);
        Utf8 = System.Text.Encoding.UTF8.GetBytes(Text);
    }

    /// <summary>Room to write to, of at least so many bytes, used again and again.</summary>
    public Span<byte> Buffer(int size)
    {
        if (_buffer.Length < size)
        {
            _buffer = GC.AllocateUninitializedArray<byte>(size * 2);
        }

        return _buffer.AsSpan(0, size);
    }
}
