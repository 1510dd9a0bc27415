using System.CommandLine;
using System.CommandLine.Parsing;
using Sc2Bridge.Broker;
using Sc2Bridge.Broker.Publishing;
using Sc2Bridge.Streaming;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The options of commands that publish a match to a broker.</summary>
internal sealed class PublishOptionSet : OptionSet
{
    // The broker keeps the directory of published matches for 30 days. Without the directory, clients cannot find older matches.
    private static readonly TimeSpan _longestAge = TimeSpan.FromDays(30);

    private readonly Option<BrokerAddress?> _broker = CreateBrokerOption(
        "--publish", "a [RabbitMQ broker](../guide/broker.md), or nodes of a cluster, that get the match: `amqp://HOST,HOST` or `amqps://USER:PASSWORD@HOST:PORT/VHOST`; without a user in the URL, the variables `SC2BRIDGE_BROKER_USER` and `SC2BRIDGE_BROKER_PASSWORD` name the user and the password (default: `guest`)");

    private readonly Option<long> _days = Number(
        "--publish-days", 7, "N", "how many days the broker keeps the match", 1, (long)_longestAge.TotalDays);

    private readonly Option<long?> _bytes = Size(
        "--publish-bytes", "the maximum size of what the broker keeps of each perspective, such as `500M` or `20G` (default: `2G`)", 32 << 20);

    private readonly Option<string[]> _tags = new("--tag")
    {
        HelpName = "TEXT",
        Description = "a word by which clients can find the published match; may be repeated",
        Validators = { ValidateEach(tag => tag.Length <= 100 && PlainText.IsPlain(tag), "write at most 100 characters, none of them a control character") },
    };

    /// <inheritdoc/>
    internal override IEnumerable<OptionGroup> Groups => [new("publishing", _broker, _tags, _days, _bytes) { OnlyInFile = [_days, _bytes] }];

    /// <summary>Makes an option that names a broker.</summary>
    internal static Option<BrokerAddress?> CreateBrokerOption(string name, string description) => new(name)
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

    /// <summary>Reads how to publish a match; null if the match is not published.</summary>
    /// <exception cref="CommandException">An option is only for published matches, and --publish is missing.</exception>
    internal PublishOptions? Read(ParseResult parsed)
    {
        if (parsed.GetValue(_broker) is not { } address)
        {
            return FirstGiven(parsed, AllOptions.Skip(1)) is { } useless
                ? throw new CommandException($"{useless.Name} is for published matches: add --publish URL")
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
