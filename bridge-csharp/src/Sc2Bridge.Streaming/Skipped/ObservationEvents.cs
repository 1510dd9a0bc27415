using System.Buffers;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Makes the observations that the game would send to a client that does not request every step. The events of skipped observations
/// (dead units, alerts, chat, actions, action errors, upgrades) are added to the next requested observation, each event once. All other
/// bytes stay unchanged. Not thread-safe.
/// </summary>
public sealed class ObservationEvents
{
    private readonly SortedSet<uint> _upgrades = [];
    private readonly ArrayBufferWriter<byte> _skipped = new();

    /// <summary>Whether no skipped events are stored.</summary>
    public bool IsEmpty => _skipped.WrittenCount == 0 && _upgrades.Count == 0;

    /// <summary>The events that one observation contains, without upgrades.</summary>
    /// <param name="observation">A serialized ResponseObservation.</param>
    /// <exception cref="InvalidProtocolBufferException">The events in the observation are malformed.</exception>
    public static V1.Skipped Of(ReadOnlySpan<byte> observation) =>
        V1.Skipped.Parser.ParseFrom(FrameEvents.Of(observation).Bytes);

    /// <summary>Adds a skipped observation.</summary>
    /// <param name="observation">A serialized ResponseObservation. If it is malformed, it is read up to the error.</param>
    public void Add(ReadOnlySpan<byte> observation)
    {
        var parts = FrameEvents.Of(observation);
        _skipped.Write(parts.Bytes);
        _upgrades.UnionWith(parts.Upgrades);
    }

    /// <summary>Removes all stored events.</summary>
    public void Clear()
    {
        _skipped.ResetWrittenCount();
        _upgrades.Clear();
    }

    /// <summary>Writes an observation, with the stored events before the observation's own events.</summary>
    /// <param name="observation">A serialized ResponseObservation, newer than the skipped observations.</param>
    /// <param name="to">The output. If no events are stored, the bytes are unchanged.</param>
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
            // Each observation lists all upgrades so far, so skipped observations rarely add an upgrade.
            foreach (var upgrade in _upgrades.Except(FrameEvents.Of(observation).Upgrades))
            {
                raw.Inside(ObservationRaw.PlayerFieldNumber).Insert(PlayerRaw.UpgradeIdsFieldNumber, upgrade);
            }
        }

        edit.Write(observation, to);
    }

    /// <summary>Writes an observation without its events, with additional results, or both.</summary>
    /// <param name="observation">A serialized ResponseObservation.</param>
    /// <param name="isRepeat">Whether the observation was given before. Then its events are left out.</param>
    /// <param name="results">The match's results to add; empty if the observation already has them.</param>
    /// <param name="to">The output.</param>
    public static void Write(
        ReadOnlySpan<byte> observation, bool isRepeat, IEnumerable<PlayerResult> results, IBufferWriter<byte> to)
    {
        ArgumentNullException.ThrowIfNull(results);
        var edit = new MessageEdit();
        if (isRepeat)
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

    // A repeated number may be unpacked (proto2) or packed. Parsers accept both.
    private static void Insert(MessageEdit edit, int field, in WireReader reader)
    {
        if (reader.Type == WireFormat.WireType.LengthDelimited)
        {
            edit.Insert(field, reader.Content);
        }
        else
        {
            edit.Insert(field, reader.VarintValue);
        }
    }
}
