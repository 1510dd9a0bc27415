using Apache.Arrow.Types;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Columns;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Tables;

/// <summary>Turns observations into the tables that docs/reference/tables.md describes.</summary>
internal sealed class ObservationTables
{
    // A damaged recording could have more upgrades. The game has about 300.
    private const int MostUpgrades = 10_000;

    private readonly VectorTable _units = VectorTable.OfUnits();
    private readonly (int Number, VectorTable Table)[] _lists =
        [.. Unit.Descriptor.Fields.InFieldNumberOrder().Where(field => field.IsRepeated).Select(field => (field.FieldNumber, VectorTable.OfList(field)))];

    private readonly PlayerTable _players = new();
    private readonly TextColumn _actionKind = new("kind");
    private readonly NumberColumn<uint> _ability = new("ability_id", UInt32Type.Default);
    private readonly NumberColumn<ulong> _unitTag = new("unit_tag", UInt64Type.Default);
    private readonly NumberColumn<float> _targetX = new("target_x", FloatType.Default);
    private readonly NumberColumn<float> _targetY = new("target_y", FloatType.Default);
    private readonly NumberColumn<ulong> _targetTag = new("target_unit_tag", UInt64Type.Default);
    private readonly NumberColumn<bool> _queued = new("queue_command", BooleanType.Default);
    private readonly TextColumn _eventKind = new("kind");
    private readonly NumberColumn<ulong> _subject = new("subject", UInt64Type.Default);
    private readonly NumberColumn<ulong> _value = new("value", UInt64Type.Default);
    private readonly TextColumn _text = new("text");
    private readonly Table _actions;
    private readonly Table _events;
    private readonly HashSet<(uint Perspective, uint Upgrade)> _upgrades = [];
    private int _actionRows;
    private int _eventRows;

    internal ObservationTables()
    {
        _actions = new("actions", [_actionKind, _ability, _unitTag, _targetX, _targetY, _targetTag, _queued]);
        _events = new("events", [_eventKind, _subject, _value, _text]);
        All = [_units.Table, .. _lists.Select(list => list.Table.Table), _players.Table, _actions, _events];
    }

    internal IReadOnlyList<Table> All { get; }

    /// <summary>Adds the rows of an observation.</summary>
    /// <returns>The observation's game loop.</returns>
    /// <exception cref="RecordingException">The bytes are not an observation.</exception>
    internal uint Add(in RecordedObservation observation)
    {
        try
        {
            var buffer = ColumnsWriter.Write(observation.Bytes.Span);
            try
            {
                return Add(observation, buffer.Written.Span);
            }
            finally
            {
                buffer.Release();
            }
        }
        catch (Exception malformed) when (malformed is EncodingException or MalformedMessageException or InvalidProtocolBufferException)
        {
            throw new RecordingException(
                $"the observation of step {observation.Step} is not a valid ResponseObservation: record the match again ({malformed.Message})", malformed);
        }
    }

    private uint Add(in RecordedObservation observation, ReadOnlySpan<byte> columns)
    {
        var (perspective, step) = (observation.Perspective, observation.Step);
        var units = _units.Add(columns, 0, columns.Length);
        var (start, length) = _units.PositionOf(V1.Columns.RestFieldNumber);
        var rest = columns.Slice(start, length);
        var response = ResponseObservation.Parser.ParseFrom(rest);
        var loop = response.Observation?.GameLoop ?? 0;
        _units.Table.CountRows(units, perspective, step, loop);
        var tags = _units.Vector(columns, V1.Columns.TagFieldNumber);
        Span<byte> noTags = tags.IsEmpty ? new byte[units * sizeof(ulong)] : default;
        foreach (var (number, list) in _lists)
        {
            list.Table.CountRows(list.AddItems(columns, _units.PositionOf(number), tags.IsEmpty ? noTags : tags), perspective, step, loop);
        }

        _players.Add(response.Observation);
        _players.Table.CountRows(1, perspective, step, loop);
        AddActions(response);
        AddEvents(response, perspective);
        _actions.CountRows(_actionRows, perspective, step, loop);
        _events.CountRows(_eventRows, perspective, step, loop);
        _actionRows = _eventRows = 0;
        return loop;
    }

    // One row for each unit that receives the command.
    private void AddActions(ResponseObservation response)
    {
        foreach (var raw in response.Actions.Select(action => action.ActionRaw).OfType<ActionRaw>())
        {
            switch (raw.ActionCase)
            {
                case ActionRaw.ActionOneofCase.UnitCommand:
                    var command = raw.UnitCommand;
                    foreach (var tag in command.UnitTags)
                    {
                        AddAction("unit_command", command.AbilityId, tag, command.TargetWorldSpacePos, command.TargetUnitTag, command.QueueCommand);
                    }

                    break;
                case ActionRaw.ActionOneofCase.ToggleAutocast:
                    foreach (var tag in raw.ToggleAutocast.UnitTags)
                    {
                        AddAction("toggle_autocast", raw.ToggleAutocast.AbilityId, tag, null, 0, false);
                    }

                    break;
                case ActionRaw.ActionOneofCase.CameraMove:
                    var centre = raw.CameraMove.CenterWorldSpace;
                    AddAction("camera_move", 0, 0, new Point2D { X = centre?.X ?? 0, Y = centre?.Y ?? 0 }, 0, false);
                    break;
            }
        }
    }

    private void AddAction(string kind, int ability, ulong unit, Point2D? target, ulong targetUnit, bool isQueued)
    {
        _actionKind.Add(kind);
        _ability.Add((ulong)ability);
        _unitTag.Add(unit);
        _targetX.Fill(target?.X ?? 0, 1);
        _targetY.Fill(target?.Y ?? 0, 1);
        _targetTag.Add(targetUnit);
        _queued.Fill(isQueued, 1);
        _actionRows++;
    }

    private void AddEvents(ResponseObservation response, uint perspective)
    {
        foreach (var tag in response.Observation?.RawData?.Event?.DeadUnits ?? [])
        {
            AddEvent("dead_unit", tag, 0, "");
        }

        foreach (var upgrade in response.Observation?.RawData?.Player?.UpgradeIds ?? [])
        {
            // The game lists all finished upgrades in each observation. Only new upgrades become rows.
            if (_upgrades.Add((perspective, upgrade)))
            {
                if (_upgrades.Count > MostUpgrades)
                {
                    throw new RecordingException($"the recording has more than {MostUpgrades} upgrades: record the match again");
                }

                AddEvent("upgrade", 0, upgrade, "");
            }
        }

        foreach (var alert in response.Observation?.Alerts ?? [])
        {
            AddEvent("alert", 0, (ulong)alert, alert.ToString());
        }

        foreach (var error in response.ActionErrors)
        {
            AddEvent("action_error", error.UnitTag, error.AbilityId, error.Result.ToString());
        }

        foreach (var chat in response.Chat)
        {
            AddEvent("chat", chat.PlayerId, 0, chat.Message);
        }

        foreach (var result in response.PlayerResult)
        {
            AddEvent("result", result.PlayerId, (ulong)result.Result, result.Result.ToString());
        }
    }

    private void AddEvent(string kind, ulong subject, ulong value, string text)
    {
        _eventKind.Add(kind);
        _subject.Add(subject);
        _value.Add(value);
        _text.Add(text);
        _eventRows++;
    }
}
