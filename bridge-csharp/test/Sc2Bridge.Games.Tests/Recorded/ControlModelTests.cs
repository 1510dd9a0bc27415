using FsCheck;
using FsCheck.Fluent;
using Sc2Bridge.Games;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>Any sequence of control requests has the same effect as on a simple list of observations.</summary>
public sealed class ControlModelTests
{
    private static readonly SampleRecording[] _samples =
    [SampleRecording.Make(steps: 60, chunkSize: 3000), SampleRecording.Make(steps: 50, chunkSize: 3000, 0, 1, 2)];

    [Fact]
    public void Any_requests_do_what_the_list_says() =>
        Prop.ForAll<byte[], byte, byte>((wishes, setting, part) => Play(wishes, setting, part))
            .Check(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(400)).WithEndSize(150));

    private static void Play(byte[] wishes, byte setting, byte part)
    {
        var sample = _samples[setting % 2];
        var options = new PlaybackOptions
        {
            Repeats = setting % 4 > 1,
            IsPaused = setting % 8 > 3,
            From = setting % 16 > 7 ? part % 40u : null,
            To = setting % 32 > 15 ? 44u + (part % 60u) : null,
        };
        var played = sample.Observations
            .Where(seen => seen.GameLoop >= (options.From ?? 0) && seen.GameLoop <= (options.To ?? uint.MaxValue))
            .ToList();
        var source = PlayedRecording.Play(sample.Bytes, options);
        var model = new Model(played, options);
        for (var at = 0; at < wishes.Length && !model.HasEnded; at++)
        {
            var value = at + 1 < wishes.Length ? wishes[at + 1] : (byte)3;
            switch (wishes[at] % 9)
            {
                case 0:
                    Assert.Equal(model.Hold(), source.Pause());
                    break;
                case 1:
                    Assert.Equal(model.GoOn(), source.Pause(false));
                    break;
                case 2 when value != 0:
                    Assert.Equal(model.Step((sbyte)value), source.Step((sbyte)value));
                    break;
                case 3:
                    Same(() => model.Seek(seen => seen.GameLoop, value), () => source.SeekLoop(value));
                    break;
                case 4:
                    Same(() => model.Seek(seen => seen.Step, value), () => source.SeekStep(value));
                    break;
                default:
                    Assert.Equal(model.TryNext(out var expected), source.TryNext(out var given));
                    Assert.Equal(expected, given);
                    break;
            }
        }

        Assert.True(source.DisposeAsync().AsTask().IsCompletedSuccessfully);
    }

    // Both give the same answer, or both refuse.
    private static void Same(Func<PlaybackState?> model, Func<PlaybackState> source)
    {
        if (model() is { } state)
        {
            Assert.Equal(state, source());
        }
        else
        {
            Assert.Equal(StatusCode.InvalidArgument, Assert.Throws<RequestRefusedException>(source).Code);
        }
    }

    private sealed class Model(List<Seen> played, PlaybackOptions options)
    {
        private readonly HashSet<uint> _jumped = played[0].Step > 0 ? [.. played.Select(seen => seen.Perspective)] : [];

        private int _next;
        private Seen _at = played[0];
        private bool _given;
        private long? _allowed = options.IsPaused ? 1 : null;

        public bool HasEnded { get; private set; }

        public PlaybackState Hold()
        {
            _allowed = 0;
            return State();
        }

        public PlaybackState GoOn()
        {
            _allowed = null;
            return State();
        }

        public PlaybackState Step(int steps)
        {
            if (steps > 0)
            {
                _allowed = (_allowed ?? 0) + steps;
                return State();
            }

            var wanted = Math.Max((long)_at.Step + steps, (long)played[0].Step);
            var found = played.FindIndex(seen => (long)seen.Step >= wanted);
            if (played[found].Step >= _at.Step && found > 0)
            {
                var before = played[played.FindLastIndex(seen => seen.Step < _at.Step)].Step;
                found = played.FindIndex(seen => seen.Step == before);
            }

            _allowed = 0;
            return Move(found);
        }

        public PlaybackState? Seek(Func<Seen, ulong> key, ulong wanted) =>
            wanted < key(played[0]) || wanted > key(played[^1])
                ? null
                : Move(played.FindIndex(seen => key(seen) >= wanted));

        public bool TryNext(out Given? given)
        {
            given = null;
            if (_next == played.Count)
            {
                if (!options.Repeats)
                {
                    HasEnded = _allowed is null;
                    _allowed = HasEnded ? null : 0;
                    return HasEnded;
                }

                if (_allowed == 0)
                {
                    return false;
                }

                var allowed = _allowed;
                Move(0);
                _allowed = allowed;
            }

            var seen = played[_next];
            if (!_given || seen.Step > _at.Step)
            {
                if (_allowed == 0)
                {
                    return false;
                }

                _allowed--;
                (_at, _given) = (seen, true);
            }

            _next++;
            given = Given.Of(seen, _jumped.Remove(seen.Perspective));
            return true;
        }

        private PlaybackState Move(int index)
        {
            (_next, _at, _given) = (index, played[index], false);
            _allowed = _allowed is null ? null : 1;
            _jumped.UnionWith(played.Select(seen => seen.Perspective));
            return State();
        }

        private PlaybackState State() => new()
        {
            MatchId = "m1",
            Paused = _allowed is not null,
            Step = _at.Step,
            GameLoop = _at.GameLoop,
            FirstStep = played[0].Step,
            LastStep = played[^1].Step,
            FirstGameLoop = played[0].GameLoop,
            LastGameLoop = played[^1].GameLoop,
            Repeats = options.Repeats,
        };
    }
}
