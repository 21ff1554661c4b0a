import { PermissionFlagsBits } from "discord-api-types/v10";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NEEDED_BITS } from "../../src/adapters/discord/checkup.js";
import { setRolePermissions } from "../../src/playground/world/guilds.js";
import { openTheatre, type Theatre } from "../support/theatre.js";

let theatre: Theatre;
beforeEach(async () => {
  theatre = await openTheatre({
    loopback: {
      guild: { botPermissions: NEEDED_BITS & ~PermissionFlagsBits.ManageChannels },
    },
  });
});
afterEach(() => theatre.close());

describe("a first start without Manage Channels", () => {
  it("is told to people, and the coordinator is made as soon as the permission is there", async () => {
    const { loopback } = theatre;
    const [told] = await theatre.lineCount(loopback.channelId, 1);
    expect(told).toContain("Give my role View Channel and Manage Channels");
    expect(loopback.world.channelsOf(loopback.guild.id).map(({ name }) => name)).toEqual([
      "general",
    ]);
    setRolePermissions(loopback.world, loopback.guild, loopback.botRole, NEEDED_BITS);
    await loopback.until(
      () => loopback.world.channelsOf(loopback.guild.id).find(({ name }) => name === "coordinator"),
      "the coordinator",
    );
  });
});
