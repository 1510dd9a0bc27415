using System.Buffers;
using System.Collections;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Simulator.Patches;
using Sc2Bridge.Simulator.Tests.Observing;

namespace Sc2Bridge.Simulator.Tests.Patches;

/// <summary>The messages of a made-up new version of the game.</summary>
public sealed class PatchedAnswersTests
{
    private const ulong FirstNewTag = 1ul << 42;
    private static readonly Request Observe = new() { Observation = new RequestObservation() };
    private static readonly Request Steps = new() { Step = new RequestStep { Count = 400 } };
    private static readonly Request GameInfo = new() { GameInfo = new RequestGameInfo() };
    private static readonly Request Data = new()
    {
        Data = new RequestData { AbilityId = true, UnitTypeId = true, UpgradeId = true, BuffId = true, EffectId = true },
    };

    [Fact]
    public void The_same_seed_sends_the_same_bytes_and_another_seed_others()
    {
        PatchedGame[] games = [new(3), new(3), new(4)];
        foreach (var request in new[] { GameInfo, Data, Observe, Steps, Observe })
        {
            var answers = games.Select(game => game.Ask(request)).ToArray();
            Assert.Equal(answers[0], answers[1]);
            Assert.True(answers[0] != answers[2] || request == Steps);
        }
    }

    [Fact]
    public void Each_match_of_a_process_has_the_next_seed()
    {
        var game = new PatchedGame(8);
        game.Begin();
        Assert.Equal(new PatchedGame(9).Ask(Data), game.Ask(Data));
        game.Ask(new Request { RestartGame = new RequestRestartGame() });
        Assert.Equal(new PatchedGame(10).Ask(Data), game.Ask(Data));
    }

    [Fact]
    public void In_forty_versions_all_kinds_of_things_are_new()
    {
        var found = new SortedSet<string>();
        var plain = Game.Joined(Game.Create(1)).Handle(GameInfo).GameInfo;
        for (uint seed = 1; seed <= 40; seed++)
        {
            var game = new PatchedGame(seed);
            game.Ask(Steps);
            var (data, info) = (game.Read(Data).Data, game.Read(GameInfo).GameInfo);
            var seen = game.Read(Observe).Observation;
            var (map, size) = (info.StartRaw.MapSize, plain.StartRaw.MapSize);
            Find(seen.Observation, data, found);
            found.UnionWith(map.X > size.X && map.Y > size.Y ? ["a larger map"] : []);
            Assert.Equal((map.X, map.Y), (info.StartRaw.PathingGrid.Size.X, info.StartRaw.TerrainHeight.Size.Y));
            Assert.Equal((map.X, map.Y), (seen.Observation.RawData.MapState.Creep.Size.X, seen.Observation.RawData.MapState.Visibility.Size.Y));
            FindUnknownFields(seen, found);
            FindUnknownFields(data, found);
            FindUnknownFields(info, found);
        }

        string[] all =
        [
            "a larger map", "ability", "alert", "attribute", "bits", "buff", "effect", "enumeration", "field of ObservationRaw", "field of Point",
            "field of ResponseObservation", "field of Unit", "field of UnitOrder", "field of UnitTypeData", "id above 16 bits",
            "unit type", "upgrade",
        ];
        Assert.Empty(all.Except(found));
    }

    [Fact]
    public void The_games_own_content_stays()
    {
        var (plain, patched) = (Game.Joined(Game.Create(1), observed: 1), new PatchedGame(1));
        plain.Step(50);
        patched.Ask(new Request { Step = new RequestStep { Count = 50 } });
        var units = patched.Read(Observe).Observation.Observation.RawData.Units.ToDictionary(unit => unit.Tag);
        Assert.True(units.Keys.Max() >= FirstNewTag);
        Assert.All(plain.Observe().Observation.Observation.RawData.Units, unit =>
        {
            var same = units[unit.Tag];
            Assert.Equal((unit.UnitType, unit.Pos.X, unit.Pos.Y, unit.Health), (same.UnitType, same.Pos.X, same.Pos.Y, same.Health));
        });
    }

    [Fact]
    public void The_side_of_a_client_that_plays_has_only_what_it_can_order()
    {
        for (uint seed = 1; seed <= 20; seed++)
        {
            var game = new PatchedGame(seed, Game.CreateForOne(), Game.JoinAs(Race.Terran));
            var (known, raw) = (new HashSet<uint>(), game.Read(Observe).Observation.Observation.RawData);
            known.UnionWith(Game.Played().Observe().Observation.Observation.RawData.Units.Select(unit => unit.UnitType));
            Assert.All(raw.Units.Where(unit => unit.Tag >= FirstNewTag), unit => Assert.NotEqual(1, unit.Owner));
            Assert.All(raw.Units.Where(unit => unit.Owner == 1), unit => Assert.Contains(unit.UnitType, known));
            Assert.All(raw.Units, unit => Assert.True(Enum.IsDefined(unit.Alliance)));
            Assert.All(raw.Units.SelectMany(unit => unit.Orders), order => Assert.True(order.AbilityId < 6000));
            Assert.Empty(raw.Player.UpgradeIds);
            var query = new RequestQuery { Abilities = { raw.Units.Where(unit => unit.Owner == 1).Select(unit => new RequestQueryAvailableAbilities { UnitTag = unit.Tag }) } };
            var abilities = game.Read(new Request { Query = query }).Query.Abilities.SelectMany(unit => unit.Abilities).ToList();
            Assert.NotEmpty(abilities);
            Assert.All(abilities, ability => Assert.True(ability.AbilityId < 6000));
            for (var step = 0; step < 10; step++)
            {
                game.Ask(Steps);
                Assert.Empty(game.Read(Observe).Observation.ActionErrors);
            }
        }
    }

    [Fact]
    public void A_request_that_failed_changes_neither_the_version_nor_who_plays()
    {
        var game = new PatchedGame(2, Game.CreateForOne(), Game.JoinAs(Race.Terran));
        var (data, seen) = (game.Ask(Data), game.Ask(Observe));
        Assert.True(game.Read(new Request { StartReplay = new RequestStartReplay { ReplayPath = "none.SC2Replay" } }).StartReplay.HasError);
        Assert.Equal((data, seen), (game.Ask(Data), game.Ask(Observe)));
    }

    // The choices depend on no value of the process, such as hash codes.
    [Fact]
    public void A_version_is_the_same_in_every_process() =>
        Assert.Equal("6219 2 48 70087", string.Join(' ', new Patch(3).FirstId, new Patch(3).NewIds, new Patch(3).MoreColumns, new Patch(4).FirstId));

    [Fact]
    public void Larger_images_show_what_was_there()
    {
        var plain = Game.Joined(Game.Create(1), new RequestJoinGame { ObservedPlayerId = 1, Options = Images.Options() });
        var start = plain.Handle(GameInfo).GameInfo.StartRaw;
        var layer = plain.Observe().Observation.Observation.FeatureLayerData.Renders.HeightMap;
        var bits = plain.Observe().Observation.Observation.FeatureLayerData.Renders.Selected;
        Assert.Equal((1, 8, 8, 1), (start.PathingGrid.BitsPerPixel, start.TerrainHeight.BitsPerPixel, layer.BitsPerPixel, bits.BitsPerPixel));
        foreach (var image in new[] { start.PathingGrid, start.TerrainHeight })
        {
            var padded = LargerImages.Pad(image, 16, 8);
            Assert.Equal((image.Size.X + 16, image.Size.Y + 8), (padded.Size.X, padded.Size.Y));
            var shown = padded.Pixels().Chunk(padded.Size.X).Take(image.Size.Y).SelectMany(row => row.Take(image.Size.X));
            Assert.Equal(image.Pixels(), shown);
            Assert.Equal(image.Pixels().Sum(), padded.Pixels().Sum());
        }

        var wide = LargerImages.Widen(layer);
        Assert.Equal(layer.Pixels(), Enumerable.Range(0, wide.Data.Length / 2).Select(pixel => wide.Data[2 * pixel] + (wide.Data[(2 * pixel) + 1] << 8)));
        Assert.Equal(bits.Pixels(), LargerImages.Widen(bits).Pixels());
    }

    private static void Find(Observation seen, ResponseData data, SortedSet<string> found)
    {
        var raw = seen.RawData;
        Note("unit type", raw.Units.Select(unit => unit.UnitType), data.Units.Select(row => row.UnitId));
        Note("ability", raw.Units.SelectMany(unit => unit.Orders).Select(order => order.AbilityId), data.Abilities.Select(row => row.AbilityId));
        Note("upgrade", raw.Player.UpgradeIds, data.Upgrades.Select(row => row.UpgradeId));
        Note("buff", raw.Units.SelectMany(unit => unit.BuffIds), data.Buffs.Select(row => row.BuffId));
        Note("effect", raw.Effects.Select(effect => effect.EffectId), data.Effects.Select(row => row.EffectId));
        found.UnionWith(seen.Alerts.All(Enum.IsDefined) ? [] : ["alert"]);
        found.UnionWith(data.Units.SelectMany(row => row.Attributes).All(Enum.IsDefined) ? [] : ["attribute"]);
        found.UnionWith(raw.Units.All(unit => Enum.IsDefined(unit.DisplayType)) ? [] : ["enumeration"]);
        found.UnionWith(seen.FeatureLayerData.Renders.HeightMap.BitsPerPixel == 16 ? ["bits"] : []);

        // ResponseData must name every id of the observation.
        void Note(string what, IEnumerable<uint> ids, IEnumerable<uint> known)
        {
            var newer = ids.Where(id => id >= 6000).ToList();
            found.UnionWith(newer.Count > 0 ? [what] : []);
            found.UnionWith(newer.Exists(id => id > ushort.MaxValue) ? ["id above 16 bits"] : []);
            Assert.Empty(newer.Except(known));
        }
    }

    // Clears the inner messages first, so that only this message's own unknown fields count.
    private static void FindUnknownFields(IMessage message, SortedSet<string> found)
    {
        foreach (var field in message.Descriptor.Fields.InFieldNumberOrder().Where(field => field.FieldType == FieldType.Message))
        {
            var value = field.Accessor.GetValue(message);
            foreach (var inner in value is IMessage one ? [one] : ((IEnumerable?)value)?.Cast<IMessage>().ToList() ?? [])
            {
                FindUnknownFields(inner, found);
            }

            field.Accessor.Clear(message);
        }

        var known = message.Descriptor.Parser.WithDiscardUnknownFields(true).ParseFrom(message.ToByteString());
        found.UnionWith(message.CalculateSize() > known.CalculateSize() ? [$"field of {message.Descriptor.Name}"] : []);
    }

    /// <summary>A game of two computers that an observer has joined with a player's eyes, unless other requests are given.</summary>
    private sealed class PatchedGame
    {
        private readonly SimulatedGame _game = new(new SimulatorOptions());
        private readonly PatchedAnswers _answers;

        public PatchedGame(uint seed, RequestCreateGame? create = null, RequestJoinGame? join = null)
        {
            _answers = new PatchedAnswers(_game, seed);
            Begin(create, join);
        }

        public void Begin(RequestCreateGame? create = null, RequestJoinGame? join = null)
        {
            Ask(new Request { CreateGame = create ?? Game.Create(1) });
            Ask(new Request { JoinGame = join ?? new RequestJoinGame { ObservedPlayerId = 1, Options = Images.Options() } });
        }

        public ByteString Ask(Request request)
        {
            var bytes = new ArrayBufferWriter<byte>();
            _game.Begin(request);
            Assert.True(_answers.TryFinish(request, bytes));
            return ByteString.CopyFrom(bytes.WrittenSpan);
        }

        public Response Read(Request request) => Response.Parser.ParseFrom(Ask(request));
    }
}
