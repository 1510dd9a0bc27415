using System.CommandLine;
using System.CommandLine.Parsing;
using Sc2Bridge.Broker;
using Sc2Bridge.Broker.Publishing;
using Sc2Bridge.Streaming;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The options that commands share which publish what they play to a broker.</summary>
internal sealed class PublishOptionSet : OptionSet
{
    // As long as the directory is kept, by which streams are found again.
    private static readonly TimeSpan _longestAge = TimeSpan.FromDays(30);

    private readonly Option<BrokerAddress?> _broker = Broker(
        "--publish", "a [RabbitMQ broker](../guide/broker.md), or nodes of a cluster, that get the match: `amqp://HOST,HOST` or `amqps://USER:PASSWORD@HOST:PORT/VHOST`; without a user, `SC2BRIDGE_BROKER_USER` and `SC2BRIDGE_BROKER_PASSWORD` name one (default: `guest`)");

    private readonly Option<long> _days = Number(
        "--publish-days", 7, "N", "how many days the broker keeps the match", 1, (long)_longestAge.TotalDays);

    private readonly Option<long?> _bytes = Size(
        "--publish-bytes", "the most that the broker keeps of a perspective, such as `500M` or `20G` (default: `2G`)", 32 << 20);

    private readonly Option<string[]> _tags = new("--tag")
    {
        HelpName = "TEXT",
        Description = "a word that finds a published match; may be repeated",
        Validators = { EachIs(tag => tag.Length <= 100 && PlainText.IsPlain(tag), "write at most 100 characters, none of them a control character") },
    };

    /// <inheritdoc/>
    internal override IEnumerable<OptionGroup> Groups => [new("publishing", _broker, _tags, _days, _bytes) { OnlyInFile = [_days, _bytes] }];

    /// <summary>An option that names a broker.</summary>
    internal static Option<BrokerAddress?> Broker(string name, string description) => new(name)
    {
        HelpName = "URL",
        Description = description,
        CustomParser = result => Parse(result, name),
    };

    /// <summary>Reads a broker's address.</summary>
    internal static BrokerAddress? Parse(ArgumentResult result, string name)
    {
        try
        {
            return BrokerAddress.Parse(result.Tokens[0].Value);
        }
        catch (BrokerException wrong)
        {
            result.AddError($"{name}: {wrong.Message}");
            return null;
        }
    }

    /// <summary>How it is published; null where it is not.</summary>
    /// <exception cref="CommandException">Options need --publish.</exception>
    internal PublishOptions? Read(ParseResult parsed)
    {
        if (parsed.GetValue(_broker) is not { } address)
        {
            return FirstGiven(parsed, All.Skip(1)) is { } useless
                ? throw new CommandException($"{useless.Name} is for what is published: add --publish URL")
                : null;
        }

        return new PublishOptions(address)
        {
            MaxAge = TimeSpan.FromDays(parsed.GetValue(_days)),
            MaxBytes = parsed.GetValue(_bytes) ?? new PublishOptions(address).MaxBytes,
            Tags = parsed.GetValue(_tags) ?? [],
        };
    }
}
