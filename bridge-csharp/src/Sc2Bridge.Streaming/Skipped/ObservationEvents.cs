using System.Buffers;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Makes observations as the game gives them to a client that does not ask for every one: the events of those between
/// (dead units, alerts, chat, actions, action errors, upgrades) are put into the one that is asked for, and no event is
/// given twice. The rest of an observation's bytes stays as it is. Not thread-safe.
/// </summary>
public sealed class ObservationEvents
{
    private readonly SortedSet<uint> _upgrades = [];
    private readonly ArrayBufferWriter<byte> _skipped = new();

    /// <summary>Whether nothing that would be lost was skipped.</summary>
    public bool IsEmpty => _skipped.WrittenCount == 0 && _upgrades.Count == 0;

    /// <summary>What an observation alone carries, its upgrades aside.</summary>
    /// <param name="observation">A serialized ResponseObservation.</param>
    /// <exception cref="InvalidProtocolBufferException">That part of it is no message.</exception>
    public static V1.Skipped Of(ReadOnlySpan<byte> observation) =>
        V1.Skipped.Parser.ParseFrom(SkippedEvents.Of(observation).Bytes);

    /// <summary>Adds an observation that is not given.</summary>
    /// <param name="observation">A serialized ResponseObservation; it is read as far as it is one.</param>
    public void Add(ReadOnlySpan<byte> observation)
    {
        var parts = SkippedEvents.Of(observation);
        _skipped.Write(parts.Bytes);
        _upgrades.UnionWith(parts.Upgrades);
    }

    /// <summary>Forgets what was added.</summary>
    public void Clear()
    {
        _skipped.ResetWrittenCount();
        _upgrades.Clear();
    }

    /// <summary>Writes an observation with what was added before what it carries itself.</summary>
    /// <param name="observation">A serialized ResponseObservation, newer than those that were added.</param>
    /// <param name="to">Takes the very bytes where nothing was added.</param>
    public void Write(ReadOnlySpan<byte> observation, IBufferWriter<byte> to)
    {
        var edit = new MessageEdit();
        var inner = edit.Inside(ResponseObservation.ObservationFieldNumber);
        var raw = inner.Inside(Observation.RawDataFieldNumber);
        var reader = new WireReader(_skipped.WrittenSpan);
        while (reader.TryNext())
        {
            switch (reader.Field)
            {
                case V1.Skipped.ActionsFieldNumber:
                    edit.Insert(ResponseObservation.ActionsFieldNumber, reader.Content);
                    break;
                case V1.Skipped.ActionErrorsFieldNumber:
                    edit.Insert(ResponseObservation.ActionErrorsFieldNumber, reader.Content);
                    break;
                case V1.Skipped.ChatFieldNumber:
                    edit.Insert(ResponseObservation.ChatFieldNumber, reader.Content);
                    break;
                case V1.Skipped.AlertsFieldNumber:
                    Insert(inner, Observation.AlertsFieldNumber, reader);
                    break;
                case V1.Skipped.DeadUnitsFieldNumber:
                    Insert(raw.Inside(ObservationRaw.EventFieldNumber), Event.DeadUnitsFieldNumber, reader);
                    break;
            }
        }

        if (_upgrades.Count > 0)
        {
            // Each observation lists all that there are, so these hardly ever are more.
            foreach (var upgrade in _upgrades.Except(SkippedEvents.Of(observation).Upgrades))
            {
                raw.Inside(ObservationRaw.PlayerFieldNumber).Insert(PlayerRaw.UpgradeIdsFieldNumber, upgrade);
            }
        }

        edit.Write(observation, to);
    }

    /// <summary>Writes an observation that was given before, or that has the match's results.</summary>
    /// <param name="observation">A serialized ResponseObservation.</param>
    /// <param name="again">It was given before: its events are left out.</param>
    /// <param name="results">The match's results, to be put in; none for an observation that has them itself.</param>
    /// <param name="to">Takes it.</param>
    public static void Write(
        ReadOnlySpan<byte> observation, bool again, IEnumerable<PlayerResult> results, IBufferWriter<byte> to)
    {
        ArgumentNullException.ThrowIfNull(results);
        var edit = new MessageEdit();
        if (again)
        {
            edit.Remove(ResponseObservation.ActionsFieldNumber);
            edit.Remove(ResponseObservation.ActionErrorsFieldNumber);
            edit.Remove(ResponseObservation.ChatFieldNumber);
            var inner = edit.Inside(ResponseObservation.ObservationFieldNumber);
            inner.Remove(Observation.AlertsFieldNumber);
            inner.Inside(Observation.RawDataFieldNumber).Remove(ObservationRaw.EventFieldNumber);
        }

        foreach (var result in results)
        {
            edit.Insert(ResponseObservation.PlayerResultFieldNumber, result.ToByteArray());
        }

        edit.Write(observation, to);
    }

    // A repeated number may be unpacked (proto2) or packed; a reader takes both.
    private static void Insert(MessageEdit edit, int field, in WireReader reader)
    {
        if (reader.Type == WireFormat.WireType.LengthDelimited)
        {
            edit.Insert(field, reader.Content);
        }
        else
        {
            edit.Insert(field, reader.Number);
        }
    }
}
