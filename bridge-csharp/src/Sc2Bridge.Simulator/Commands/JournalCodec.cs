using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>Serializes a journal's entries for replays and other processes: loop, player, kind and message.</summary>
internal static class JournalCodec
{
    private const uint Left = 0;
    private const uint Acted = 1;
    private const uint Debugged = 2;

    /// <summary>Writes an entry.</summary>
    public static void Write(CodedOutputStream output, in JournalEntry entry)
    {
        output.WriteUInt32((uint)entry.Loop);
        output.WriteUInt32((uint)entry.Player);
        output.WriteUInt32(entry.What switch { SC2APIProtocol.Action => Acted, DebugCommand => Debugged, _ => Left });
        output.WriteBytes(entry.What?.ToByteString() ?? ByteString.Empty);
    }

    /// <summary>Reads an entry.</summary>
    /// <param name="input">The bytes, which are not trusted.</param>
    /// <param name="players">The number of players.</param>
    /// <exception cref="InvalidProtocolBufferException">The bytes are truncated or malformed.</exception>
    /// <exception cref="FormatException">It is not an entry of such a match.</exception>
    public static JournalEntry Read(CodedInputStream input, int players)
    {
        var (loop, player, kind) = (input.ReadUInt32(), input.ReadUInt32(), input.ReadUInt32());
        var bytes = input.ReadBytes();
        if (loop > World.GameWorld.LastLoop || player < 1 || player > players || kind > Debugged)
        {
            throw new FormatException($"its journal has an invalid entry of kind {kind} for player {player} at loop {loop}");
        }

        IMessage? what = kind switch
        {
            Acted => SC2APIProtocol.Action.Parser.ParseFrom(bytes),
            Debugged => DebugCommand.Parser.ParseFrom(bytes),
            _ => null,
        };
        return new JournalEntry((int)loop, (int)player, what);
    }
}
