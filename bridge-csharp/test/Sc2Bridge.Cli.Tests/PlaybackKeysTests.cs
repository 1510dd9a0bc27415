using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Cli.Tests;

/// <summary>What keys do with a playback.</summary>
public sealed class PlaybackKeysTests
{
    private readonly Playback _playback = new();
    private readonly PlaybackKeys _keys;

    private readonly List<string> _said = [];

    public PlaybackKeysTests() => _keys = new PlaybackKeys(_playback, _said.Add);

    [Fact]
    public void Each_key_is_a_request()
    {
        Press(
            ConsoleKey.Spacebar, ConsoleKey.RightArrow, ConsoleKey.LeftArrow, ConsoleKey.Home, ConsoleKey.End,
            ConsoleKey.PageDown, ConsoleKey.PageUp, ConsoleKey.UpArrow, ConsoleKey.DownArrow, ConsoleKey.Q);
        Assert.Equal(
            [
                new() { Pause = true }, new() { Step = 1 }, new() { Step = -1 }, new() { SeekStep = 10 },
                new() { SeekStep = 500 }, new() { SeekLoop = 324 }, new() { SeekLoop = 20 }, new() { Rate = 22.4 },
                new() { Rate = 8 },
            ],
            _playback.Wishes);
        _playback.State.Paused = true;
        _playback.State.GameLoop = 990;
        _playback.Wishes.Clear();
        Press(ConsoleKey.Spacebar, ConsoleKey.PageDown, ConsoleKey.PageUp);
        Assert.Equal([new() { Pause = false }, new() { SeekLoop = 1000 }, new() { SeekLoop = 766 }], _playback.Wishes);
    }

    [Fact]
    public void Its_speed_goes_up_to_max_and_down_to_half_a_step_a_second()
    {
        var rates = new List<double>();
        for (var count = 0; count < 7; count++)
        {
            Press(ConsoleKey.UpArrow);
            rates.Add(_playback.State.Rate = _playback.Wishes[^1].Rate);
        }

        Assert.Equal([22.4, 44.8, 89.6, 179.2, 0, 0, 0], rates);
        rates.Clear();
        for (var count = 0; count < 12; count++)
        {
            Press(ConsoleKey.DownArrow);
            rates.Add(_playback.State.Rate = _playback.Wishes[^1].Rate);
        }

        Assert.Equal([179.2, 89.6, 44.8, 22.4, 16, 8, 4, 2, 1, 0.5, 0.5, 0.5], rates);
    }

    [Fact]
    public void A_game_loop_is_typed_digit_by_digit()
    {
        Type("g4x06");
        Press(ConsoleKey.Backspace);
        Assert.EndsWith("; go to game loop: 40_", _keys.DescribeState(), StringComparison.Ordinal);
        Type("32");
        Assert.Empty(_playback.Wishes);
        Press(ConsoleKey.Enter);
        Assert.Equal([new() { SeekLoop = 4032 }], _playback.Wishes);
        Assert.Equal("at game loop 100 of 20-1000, 16 steps/s", _keys.DescribeState());

        Type("g77");
        Press(ConsoleKey.Escape);
        Type("g");
        Press(ConsoleKey.Backspace, ConsoleKey.Enter);
        Assert.Single(_playback.Wishes);
        Type("g99999999999");
        Press(ConsoleKey.Enter);
        Assert.Single(_playback.Wishes);
        Assert.Equal(["9999999999 is not a game loop: write a number of at most 4294967295"], _said);
        Press(ConsoleKey.RightArrow);
        Assert.Equal(new() { Step = 1 }, _playback.Wishes[^1]);
    }

    [Fact]
    public void The_line_shows_the_state_and_refused_requests()
    {
        _playback.State.Paused = true;
        _playback.State.Repeats = true;
        _playback.State.Rate = 0;
        Assert.Equal("held at game loop 100 of 20-1000, max, in a loop", _keys.DescribeState());
        _playback.Refusal = "not there";
        Press(ConsoleKey.LeftArrow);
        Assert.Equal(["not there"], _said);
        _playback.Refusal = null;
        Press(ConsoleKey.LeftArrow);
        Assert.EndsWith("in a loop", _keys.DescribeState(), StringComparison.Ordinal);
    }

    private void Press(params ConsoleKey[] keys)
    {
        foreach (var key in keys)
        {
            _keys.HandleKey(new ConsoleKeyInfo('\0', key, shift: false, alt: false, control: false));
        }
    }

    private void Type(string text)
    {
        foreach (var letter in text)
        {
            var key = letter is >= '0' and <= '9' ? ConsoleKey.D0 + (letter - '0') : ConsoleKey.A + (letter - 'a');
            _keys.HandleKey(new ConsoleKeyInfo(letter, key, shift: false, alt: false, control: false));
        }
    }

    private sealed class Playback : IPlayback
    {
        public PlaybackState State { get; } = new()
        {
            Step = 50,
            GameLoop = 100,
            Rate = 16,
            FirstStep = 10,
            LastStep = 500,
            FirstGameLoop = 20,
            LastGameLoop = 1000,
        };

        public List<ControlRequest> Wishes { get; } = [];

        public string? Refusal { get; set; }

        public PlaybackState Control(ControlRequest request)
        {
            if (request.CommandCase != ControlRequest.CommandOneofCase.None)
            {
                if (Refusal is not null)
                {
                    throw new RequestRefusedException(StatusCode.InvalidArgument, Refusal);
                }

                Wishes.Add(request);
            }

            return State.Clone();
        }
    }
}
